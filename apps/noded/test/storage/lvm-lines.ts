/** Output of LVM 2.03.16, and the command lines that print it. */

export const lvs =
  "lvs --noheadings '--separator=|' --units=k --nosuffix -ovg_name,lv_name,lv_attr,lv_kernel_major,lv_kernel_minor,vg_extent_size,stripes,devices";
export const pvs =
  "pvs --noheadings --nosuffix --units=m --unbuffered '--separator=|' -opv_name,vg_name,pv_free,pv_attr,pv_size,pv_name";
export const pvsWithVolumes = pvs.replace(/pv_name$/, "lv_name");
export const vgs =
  "vgs --noheadings --nosuffix --units=m --unbuffered '--separator=|' -ovg_name,vg_free,vg_attr,vg_size";

/** A striped volume with its snapshot, a plain one, one of two segments, an inactive one. */
export const volumes = [
  "  xenvg|striped|owi-a-s---|253|2|4096.00|2|/dev/vdc(64),/dev/vdd(0)",
  "  xenvg|striped.snap|swi-a-s---|253|5|4096.00|1|/dev/vdc(72)",
  "  xenvg|test.disk0_data|-wi-a-----|253|0|4096.00|1|/dev/vdc(0)",
  "  xenvg|grown|-wi-ao----|253|7|4096.00|2|/dev/vdc(0),/dev/vdd(8)",
  "  xenvg|grown|-wi-ao----|253|7|4096.00|2|/dev/vde(8),/dev/vdd(24)",
  "  testvg|d1|-wi-------|-1|-1|4096.00|1|/dev/loop0(0)",
  "  xenvg|lost|vwi-a-----|253|9|4096.00|1|",
  "  xenvg|partial|-wi-a---p-|253|10|4096.00|1|[unknown](0)",
  "",
].join("\n");

export const physical = [
  "  /dev/vdc|xenvg|596.00|a--|596.00|/dev/vdc",
  "  /dev/vdd|xenvg|796.00|a--|996.00|/dev/vdd",
  "  /dev/vde|xenvg|100.00|u--|596.00|/dev/vde",
  "  /dev/vdf||600.00|---|600.00|/dev/vdf",
  "  [unknown]|xenvg|500.00|a-m|596.00|[unknown]",
  "  /dev/loop0|testvg|264.00|a--|296.00|/dev/loop0",
  "",
].join("\n");

export const physicalWithVolumes = [
  "  /dev/loop0|testvg|264.00|a--|296.00|d1",
  "  /dev/loop0|testvg|264.00|a--|296.00|",
  "  /dev/loop1|testvg|200.00|u--|296.00|d2",
  "  /dev/loop1|testvg|200.00|u--|296.00|d1",
  "  /dev/loop1|testvg|200.00|u--|296.00|d2",
  "  /dev/loop1|testvg|200.00|u--|296.00|",
  "",
].join("\n");

export const groups = "  xenvg|1192.00|wz--n-|1192.00\n  old|90.00|rz--n-|90.00\n";

/** Sample texts of DRBD 8.4.11 and older versions, in the formats of the kernel and of drbdsetup. */

export const proc84 = [
  "version: 8.4.11 (api:1/proto:86-101)",
  "srcversion: 211FB288A383ED945B83420 ",
  "",
  " 0: cs:SyncSource ro:Primary/Secondary ds:UpToDate/Inconsistent C r-----",
  "    ns:23216 nr:0 dw:0 dr:23216 al:8 bm:0 lo:0 pe:1 ua:0 ap:0 ep:1 wo:f oos:108544",
  "\t[===>................] sync'ed: 21.3% (108544/131072)K",
  "\tfinish: 0:00:14 speed: 7,508 (7,508) K/sec",
  " 1: cs:SyncTarget ro:Secondary/Primary ds:Inconsistent/UpToDate C r-----",
  "    ns:0 nr:23216 dw:0 dr:0 al:8 bm:0 lo:0 pe:1 ua:0 ap:0 ep:1 wo:f oos:108544",
  "\t[===>................] sync'ed: 21.3% (108544/131072)K",
  "\tfinish: 1:02:03 speed: 7,508 (7,508) want: 320 K/sec",
  "",
  " 2: cs:PausedSyncS ro:Primary/Secondary ds:UpToDate/Inconsistent C r-pu--",
  "    ns:0 nr:0 dw:0 dr:664 al:8 bm:0 lo:0 pe:0 ua:0 ap:0 ep:1 wo:f oos:1",
  " 4: cs:Connected ro:Secondary/Primary ds:UpToDate/UpToDate C r-----",
  "    ns:0 nr:0 dw:0 dr:664 al:8 bm:0 lo:0 pe:0 ua:0 ap:0 ep:1 wo:f oos:0",
  " 5: cs:StandAlone ro:Primary/Unknown ds:UpToDate/DUnknown   r-----",
  "    ns:0 nr:0 dw:0 dr:664 al:8 bm:0 lo:0 pe:0 ua:0 ap:0 ep:1 wo:f oos:0",
  " 6: cs:WFConnection ro:Secondary/Unknown ds:Diskless/DUnknown C r-----",
  "    ns:0 nr:0 dw:0 dr:664 al:8 bm:0 lo:0 pe:0 ua:0 ap:0 ep:1 wo:f oos:0",
  "12: cs:Unconfigured",
  "",
].join("\n");

export const proc80 = [
  "version: 8.0.12 (api:86/proto:86)",
  "GIT-hash: 5c9f89594553e32adb87d9638dce591782f947e3 build by XXX",
  " 0: cs:SyncTarget st:Primary/Secondary ds:Inconsistent/UpToDate C r---",
  "    ns:0 nr:364 dw:364 dr:0",
  "\t[>...................] sync'ed:  2.5% (14996/15360)Mfinish: 0:04:08 speed: 61,364 (61,364) K/sec",
].join("\n");

export interface Shown {
  readonly local?: string;
  readonly remote?: string;
  readonly data?: string;
  readonly meta?: string;
  readonly dual?: boolean;
}

/** Output of `drbdsetup show 0`. */
export const show = ({ local, remote, data, meta, dual = false }: Shown): string =>
  [
    "resource resource0 {",
    "    options {\n    }",
    `    net {\n        ${dual ? "allow-two-primaries\tyes;\n        " : ""}cram-hmac-alg   \t"md5";\n    }`,
    remote === undefined ? "" : `    _remote_host {\n        address\t\t\t${remote};\n    }`,
    "    _this_host {",
    local === undefined ? "" : `        address\t\t\t${local};`,
    "        volume 0 {\n            device\t\t\tminor 0;",
    data === undefined ? "" : `            disk\t\t\t"${data}";`,
    meta === undefined ? "" : `            meta-disk\t\t\t"${meta}";`,
    "            disk {\n                size            \t262144s; # bytes\n            }",
    "        }\n    }\n}\n",
  ].join("\n");

"""Drives every method of Ganeti's own Python client against a server, and prints what came of each.

Arguments: host and port. User and password are those of the test. Prints one JSON object a line:
the call, the requests that it made as pairs of method and path, its result or its error, and of a
job how it ended.
"""

import json
import re
import sys

import pycurl
from ganeti.rapi import client

host, port = sys.argv[1:]
rapi = client.GanetiRapiClient(
  host, port=int(port), username="jack", password="abc123",
  # Each connection would read the certificates of all authorities of the machine, and then verify none: 40 ms.
  curl_config_fn=lambda curl, _: curl.unsetopt(pycurl.CAPATH))
pairs = []
send = rapi._SendRequest


def template(path):
  """The path without its variable parts."""
  path = re.sub(r"/2/(nodes|instances|groups|networks|filters|jobs|query)/[^/]+", r"/2/\1/NAME", path)
  return re.sub(r"/disk/\d+", "/disk/N", path)


def recorded(method, path, query, content):
  pairs.append([method, template(path)])
  return send(method, path, query, content)


rapi._SendRequest = recorded


def call(name, *args, **kwargs):
  """Calls a method; of a job it waits for the end."""
  del pairs[:]
  line = {"call": name, "pairs": None}
  result = None
  try:
    result = getattr(rapi, name)(*args, **kwargs)
    line["result"] = result
  except Exception as error:  # whatever goes wrong is what the test wants to know
    line["error"] = "%s: %s" % (type(error).__name__, error)
  line["pairs"] = list(pairs)
  if isinstance(result, int) and name not in ("GetVersion",):
    rapi.WaitForJobCompletion(result, period=0.05, retries=400)
    job = rapi.GetJobStatus(result)
    line["job"] = job["status"]
    line["opresult"] = job["opresult"]
  print(json.dumps(line))
  sys.stdout.flush()
  return result


node, other = "node1.example.com", "node2.example.com"
inst = "inst1.example.com"
disk = {"size": 1024}

# The cluster.
call("GetVersion")
call("GetFeatures")
call("GetInfo", reason="to know it")
call("GetOperatingSystems")
call("RedistributeConfig")
call("ModifyCluster", candidate_pool_size=5)
call("AddClusterTags", ["a", "b"])
call("GetClusterTags")
call("DeleteClusterTags", ["a"], dry_run=False)

# Groups and networks.
call("GetGroups")
call("GetGroups", bulk=True)
call("CreateGroup", "extra", alloc_policy="last_resort")
call("GetGroup", "extra")
call("ModifyGroup", "extra", alloc_policy="preferred")
call("RenameGroup", "extra", "renamed")
call("AddGroupTags", "renamed", ["g"])
call("GetGroupTags", "renamed")
call("DeleteGroupTags", "renamed", ["g"])
call("AssignGroupNodes", "renamed", ["node4.example.com"], force=True)
call("AssignGroupNodes", "group2", ["node4.example.com"])
call("DeleteGroup", "renamed")
call("CreateNetwork", "net1", "10.9.0.0/24", gateway="10.9.0.1", tags="n")
call("GetNetworks")
call("GetNetworks", bulk=True)
call("GetNetwork", "net1")
call("ModifyNetwork", "net1", mac_prefix="aa:bb:cc")
call("ConnectNetwork", "net1", "default", "bridged", "xen-br0")
call("AddNetworkTags", "net1", ["x"])
call("GetNetworkTags", "net1")
call("DeleteNetworkTags", "net1", ["x"])
call("DisconnectNetwork", "net1", "default")
call("DeleteNetwork", "net1")

# An instance's life.
call("InstanceAllocation", "create", inst, "plain", [disk], [{}], os="noop+default", pnode=node)
call("CreateInstance", "create", inst, "drbd", [disk], [{}], os="noop+default", pnode=node, snode=other,
     ip_check=False, name_check=False, beparams={"memory": 256, "vcpus": 1})
call("InstancesMultiAlloc", [
  rapi.InstanceAllocation("create", "inst2.example.com", "plain", [disk], [{}], os="noop+default")])
call("GetInstances")
call("GetInstances", bulk=True)
call("GetInstance", inst)
call("GetInstanceInfo", inst, static=True)
call("GetInstanceConsole", inst)
call("AddInstanceTags", inst, ["x", "y"])
call("GetInstanceTags", inst)
call("DeleteInstanceTags", inst, ["x"])
call("ModifyInstance", inst, beparams={"vcpus": 2})
call("GrowInstanceDisk", inst, 0, 128, wait_for_sync=False)
call("RebootInstance", inst, reboot_type="hard", ignore_secondaries=True)
call("MigrateInstance", inst, mode="live", cleanup=False)
call("FailoverInstance", inst, ignore_consistency=True)
call("ReplaceInstanceDisks", inst, disks=[0], mode=client.REPLACE_DISK_PRI)
call("ShutdownInstance", inst, no_remember=False)
call("StartupInstance", inst)
call("ReinstallInstance", inst, os="noop+default", no_startup=True)
call("ActivateInstanceDisks", inst, ignore_size=True)
call("DeactivateInstanceDisks", inst, force=True)
call("RecreateInstanceDisks", inst, disks=[0])
call("PrepareExport", inst, "local")
call("ExportInstance", inst, "local", node)
call("RenameInstance", inst, "inst9.example.com", ip_check=False, name_check=False)
call("DeleteInstance", "inst9.example.com", shutdown_timeout=1)

# Nodes.
call("GetNodes")
call("GetNodes", bulk=True)
call("GetNode", node)
call("GetNodeRole", node)
call("SetNodeRole", other, "regular", force=True, auto_promote=False)
call("ModifyNode", other, master_candidate=True)
call("EvacuateNode", other, mode="secondary-only", iallocator="hail")
call("MigrateNode", other, mode="non-live")
call("PowercycleNode", other, force=True)
call("GetNodeStorageUnits", node, "lvm-vg", "name,size,free")
call("ModifyNodeStorageUnits", node, "lvm-pv", "/dev/sda3", allocatable=True)
call("RepairNodeStorageUnits", node, "lvm-vg", "xenvg")
call("AddNodeTags", node, ["rack:1"])
call("GetNodeTags", node)
call("DeleteNodeTags", node, ["rack:1"])

# Jobs, queries and filters.
call("GetJobs")
call("GetJobs", bulk=True)
call("GetJobStatus", 1)
call("WaitForJobChange", 1, ["status"], None, None)
call("CancelJob", 1)
call("Query", "node", ["name", "role"], qfilter=["=", "name", node])
call("Query", "instance", ["name"])
call("QueryFields", "node", fields=["name"])
call("QueryFields", "job")
rule = call("AddFilter", 5, [["jobid", [">", "id", 1000000]]], "PAUSE")
call("GetFilters")
call("GetFilters", bulk=True)
call("GetFilter", rule)
call("ReplaceFilter", rule, 6, [], "ACCEPT")
call("DeleteFilter", rule)

#!/usr/bin/env python3
"""Instances of a cluster with their memory, and one more instance, over the remote API.

Ganeti's own client, as Debian packages it (python3-ganeti-rapi).
Arguments: host, port, user, password, and the name of an instance to create.
"""

import sys

from ganeti.rapi import client

host, port, user, password, name = sys.argv[1:]
rapi = client.GanetiRapiClient(host, port=int(port), username=user, password=password)

job = rapi.CreateInstance(
  "create", name, "plain", [{"size": 1024}], [{}],
  os="noop+default", beparams={"memory": 256}, name_check=False, ip_check=False)
ended = rapi.WaitForJobCompletion(job)
print(f"job {job}: {'success' if ended else 'error'}")

for instance in rapi.GetInstances(bulk=True):
  print(f"{instance['name']}: {instance['beparams']['maxmem']} MiB, {instance['status']}")

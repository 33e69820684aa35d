# Sends a line through the socket 3, together with a descriptor of a file or of a queue of a tap.
#
#   python3 send-descriptor.py MESSAGE FILE
#   python3 send-descriptor.py MESSAGE /dev/net/tun TAP FLAGS
#
# Run by the node daemon, because Node.js cannot send descriptors. FLAGS are those of TUNSETIFF, as a number.
import array
import fcntl
import os
import socket
import struct
import sys

TUNSETIFF = 0x400454CA

message, path, *tap = sys.argv[1:]
try:
    opened = os.open(path, os.O_RDWR)
    if tap:
        fcntl.ioctl(opened, TUNSETIFF, struct.pack("16sH22x", tap[0].encode(), int(tap[1])))
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [opened]))
    socket.socket(fileno=3).sendmsg([f"{message}\r\n".encode()], [rights])
except OSError as error:
    sys.exit(f"{path}: {error.strerror}")

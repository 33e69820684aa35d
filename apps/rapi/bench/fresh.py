"""A new TLS connection for each request, as Ganeti's own clients make them: connect, handshake, request, whole answer.

fresh.py HOST PORT PATH SECONDS TLSv1.2|TLSv1.3 [AUTHORIZATION]

Every handshake is a whole one: no session is taken up again. Python, because its handshake costs half of that of Node's
client, and the server shares the machine; straight on OpenSSL's object, because the socket that Python's ssl module puts
around it costs as much again as connecting does, and no server has a part in that. Prints JSON: the milliseconds that each
took, and the processor time of all together.
"""
import json
import resource
import socket
import ssl
import sys
import time

host, port, path, seconds, version = sys.argv[1:6]
family, _, _, _, address = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
credentials = f"Authorization: {sys.argv[6]}\r\n" if len(sys.argv) > 6 else ""
request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{credentials}Connection: close\r\n\r\n".encode()

# The most that OpenSSL gives at a time.
record = 16384

context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
context.minimum_version = context.maximum_version = ssl.TLSVersion[version.replace(".", "_")]


def ask():
    with socket.socket(family) as connection:
        connection.connect(address)
        tls = context._wrap_socket(connection, False)
        tls.do_handshake()
        tls.write(request)
        answer = tls.read(record)
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += more(tls)
        head = answer[:end].lower()
        if not head.startswith((b"http/1.1 200", b"http/1.0 200")):
            raise SystemExit(head.decode("latin1"))
        missing = int(head.split(b"content-length:")[1].split(b"\r\n")[0]) - (len(answer) - end - 4)
        while missing > 0:
            missing -= len(more(tls))


def more(tls):
    if part := tls.read(record):
        return part
    raise SystemExit("the answer is cut off")


times = []
before = resource.getrusage(resource.RUSAGE_SELF)
stop = time.perf_counter() + float(seconds)
while (start := time.perf_counter()) < stop:
    ask()
    times.append((time.perf_counter() - start) * 1000)
after = resource.getrusage(resource.RUSAGE_SELF)
seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps({"times": times, "cpuMs": seconds * 1000}))

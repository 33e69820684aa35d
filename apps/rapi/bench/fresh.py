"""A new TLS connection for each request, as Ganeti's own clients make them: connect, handshake, request, whole answer.

fresh.py HOST PORT PATH SECONDS TLSv1.2|TLSv1.3 CONNECTIONS [AUTHORIZATION]

So many connections are under way at any time, all in this one process: on two cores the server has the other one. Every
handshake is a whole one, no session is taken up again. Python, because its handshake costs half of that of Node's client;
straight on OpenSSL's object, because the socket that Python's ssl module puts around it costs as much again as connecting
does, and no server has a part in that. Prints JSON: the milliseconds that each request took, and the processor time of all
together.
"""
import json
import resource
import select
import socket
import ssl
import sys
import time

host, port, path, seconds, version, connections = sys.argv[1:7]
family, _, _, _, address = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
credentials = f"Authorization: {sys.argv[7]}\r\n" if len(sys.argv) > 7 else ""
request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{credentials}Connection: close\r\n\r\n".encode()
# The most that OpenSSL gives at a time.
record = 16384

context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
context.minimum_version = context.maximum_version = ssl.TLSVersion[version.replace(".", "_")]

times = []
poll = select.epoll()


def ask_again_and_again(stop):
    """Gives the number of its socket whenever it has to wait for bytes."""
    while (start := time.perf_counter()) < stop:
        with socket.socket(family) as connection:
            connection.connect(address)
            connection.setblocking(False)
            number = connection.fileno()
            poll.register(number, select.EPOLLIN)
            tls = context._wrap_socket(connection, False)
            yield from waiting(number, tls.do_handshake)
            tls.write(request)
            answer = yield from waiting(number, tls.read, record)
            while (end := answer.find(b"\r\n\r\n")) < 0:
                answer += yield from more(number, tls)
            head = answer[:end].lower()
            if not head.startswith((b"http/1.1 200", b"http/1.0 200")):
                raise SystemExit(head.decode("latin1"))
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            missing = length - (len(answer) - end - 4)
            while missing > 0:
                missing -= len((yield from more(number, tls)))
        times.append((time.perf_counter() - start) * 1000)


def more(number, tls):
    if part := (yield from waiting(number, tls.read, record)):
        return part
    raise SystemExit("the answer is cut off")


def waiting(number, act, *args):
    while True:
        try:
            return act(*args)
        except ssl.SSLWantReadError:
            yield number


before = resource.getrusage(resource.RUSAGE_SELF)
stop = time.perf_counter() + float(seconds)
by_number = {}


def go_on(asker):
    number = next(asker, None)
    if number is not None:
        by_number[number] = asker


for _ in range(int(connections)):
    go_on(ask_again_and_again(stop))
while by_number:
    for number, _ in poll.poll():
        go_on(by_number.pop(number))
after = resource.getrusage(resource.RUSAGE_SELF)
seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps({"times": times, "cpuMs": seconds * 1000}))

"""Two networks, each with one end of a line that holds each packet for so many ms; SERVER runs in the one, CLIENT in the other.

Usage: unshare -rn line.py MS SERVER CLIENT
"""
import ctypes, fcntl, heapq, os, select, shlex, struct, subprocess, sys, time
delay, server, client = float(sys.argv[1]) / 1000, shlex.split(sys.argv[2]), shlex.split(sys.argv[3])

def end(address):
    tun = os.open('/dev/net/tun', os.O_RDWR)
    fcntl.ioctl(tun, 0x400454ca, struct.pack('16sH22x', b'line', 0x1001))
    subprocess.run('ip addr add %s/24 dev line && ip link set line up' % address, shell=True, check=True)
    return tun

here = end('10.9.0.1')
go, ready = os.pipe()
asks = os.fork()
if not asks:
    os.read(go, 1)
    os.execvp(client[0], client)
assert ctypes.CDLL(None).unshare(0x40000000) == 0
there = end('10.9.0.2')
serves = subprocess.Popen(server)
os.write(ready, b'x')
other, held, number, late = {here: there, there: here}, [], 0, []
ended = None
while ended is None or serves.poll() is None:
    if ended is None and os.waitpid(asks, os.WNOHANG)[0]:
        ended = time.monotonic()
    wait = max(0, held[0][0] - time.monotonic()) if held else 0.05
    for tun in select.select([here, there], [], [], min(wait, 0.05))[0]:
        heapq.heappush(held, (time.monotonic() + delay, number, other[tun], os.read(tun, 65536)))
        number += 1
    while held and held[0][0] <= time.monotonic():
        until, _, tun, packet = heapq.heappop(held)
        os.write(tun, packet)
        late.append(time.monotonic() - until)
print('held %.3f ms' % (1000 * (delay + sorted(late)[len(late) // 2])), flush=True)
sys.exit(serves.wait())

import { dlopen, ptr } from 'bun:ffi';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Constants of Linux on x86-64 and arm64. */
const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`];
const SOCKET_OPTION = { setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' } } as const;
const STATE_LISTEN = '0A';

/** Classic BPF (linux/filter.h): code and operand. */
type Instruction = readonly [code: number, operand: number];
const LOAD_WORD = 0x20;
const MODULO = 0x94;
const ADD = 0x04;
const RETURN_RESULT = 0x16;
const RETURN = 0x06;
/** SKF_AD_OFF + SKF_AD_RANDOM: a random number instead of a position in the packet. */
const RANDOM = 0xfffff000 + 56;

/** Chooses the listening socket of a port that receives new connections. */
interface Steering {
  /** Chooses among all but the `count` oldest sockets, with equal probability; requires twice `count` sockets. */
  toNewer(count: number): boolean;
  /** Chooses the oldest socket after the `count` oldest; requires more than `count` sockets. */
  toFirstNewer(count: number): boolean;
}

/**
 * Creates the steering of a port. Closing a listening socket with a shared port resets its most recent connections, so it
 * must not receive any for some time. Linux keeps the sockets of a port in the order in which they began to listen, and
 * runs a BPF program of the port to choose one. A result beyond the last socket means any. The members return false if the
 * system does not support it: not Linux, or not permitted.
 */
export function createSteering(port: number): Steering {
  const attach = (instructions: readonly Instruction[]) => {
    if (process.platform !== 'linux') return false;
    const descriptor = findListening(port);
    return descriptor !== undefined && setProgram(descriptor, instructions);
  };
  return {
    toNewer: (count) =>
      attach([
        [LOAD_WORD, RANDOM],
        [MODULO, count],
        [ADD, count],
        [RETURN_RESULT, 0],
      ]),
    toFirstNewer: (count) => attach([[RETURN, count]]),
  };
}

/** Returns a descriptor of this process that listens on the port. The program is set for all sockets of the port. */
function findListening(port: number): number | undefined {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = new Set<string>();
  for (const family of ['tcp', 'tcp6']) {
    for (const line of readTable(family)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === STATE_LISTEN && local?.endsWith(end)) sockets.add(`socket:[${inode}]`);
    }
  }
  return readdirSync('/proc/self/fd')
    .map(Number)
    .find((descriptor) => sockets.has(targetOf(descriptor)));
}

function readTable(family: string): string[] {
  try {
    return readFileSync(`/proc/self/net/${family}`, 'utf8').split('\n');
  } catch {
    // A system without IPv6, or without /proc.
    return [];
  }
}

function targetOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // The descriptor was closed after the folder was listed.
    return '';
  }
}

function setProgram(descriptor: number, instructions: readonly Instruction[]): boolean {
  const code = new DataView(new ArrayBuffer(instructions.length * 8));
  for (const [index, [operation, operand]] of instructions.entries()) {
    code.setUint16(index * 8, operation, true);
    code.setUint32(index * 8 + 4, operand, true);
  }
  // struct sock_fprog: the number of instructions, and their address.
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, instructions.length, true);
  program.setBigUint64(8, BigInt(ptr(code)), true);
  for (const library of LIBRARIES) {
    try {
      const { symbols, close } = dlopen(library, SOCKET_OPTION);
      const result = symbols.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program), 16);
      close();
      return result === 0;
    } catch {
      // Not the C library of this system.
    }
  }
  return false;
}

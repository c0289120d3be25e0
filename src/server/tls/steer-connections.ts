import { dlopen, ptr } from 'bun:ffi';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Of Linux, on the processors that this program is made for. */
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
/** SKF_AD_OFF + SKF_AD_RANDOM: not a place in the packet but a random number. */
const RANDOM = 0xfffff000 + 56;

/** Which of the sockets that listen on a port new connections go to. */
interface Steering {
  /** To all but the `count` oldest ones, each as likely as the others, as long as there are twice `count`. */
  toNewer(count: number): boolean;
  /** To the oldest one but for `count`, as long as there are more than that. */
  toFirstNewer(count: number): boolean;
}

/**
 * Closing a listening socket that shares its port resets the connections that the system has just given it. So none
 * must be given to it for a while: the system keeps the sockets of a port in the order in which they began to listen,
 * and asks a program of the port which one is next. An answer beyond the last socket means any. Its members answer
 * false where the system cannot be asked: not Linux, or one that forbids it.
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

/** A descriptor of this process that listens on the port: the program is of all that do. */
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
    // A system without IPv6, or without /proc: then there is nothing to steer.
    return [];
  }
}

function targetOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // It has been closed since the folder was listed.
    return '';
  }
}

function setProgram(descriptor: number, instructions: readonly Instruction[]): boolean {
  const code = new DataView(new ArrayBuffer(instructions.length * 8));
  for (const [index, [operation, operand]] of instructions.entries()) {
    code.setUint16(index * 8, operation, true);
    code.setUint32(index * 8 + 4, operand, true);
  }
  // struct sock_fprog: how many instructions, and where they are.
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

import { environmentForPrograms } from '../base/env.ts';
import { codeOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';

/**
 * Reads the numbers of process groups; a minus marks a group that has ended. If the input ends without the word "end",
 * the server was killed: the script then kills the remaining groups and removes the folders with the prefix. It finds
 * commands that the server had started but not yet reported by their TMPDIR in /proc. It looks several times, as a
 * child has this TMPDIR only after its exec.
 */
const SCRIPT = `trap '' HUP INT TERM
groups=' '
while read -r line; do
  case $line in
    end) exit ;;
    '') ;;
    -*) groups="\${groups%% \${line#-} *} \${groups#* \${line#-} }" ;;
    *) groups="$groups$line " ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for round in 1 2 3 4 5; do
  for file in $(grep -lsaF "TMPDIR=$1" /proc/[0-9]*/environ); do
    file=\${file%/environ}
    kill -s KILL "\${file#/proc/}"
  done
  rm -rf "$1"*
  sleep 0.2
done
chmod -R u+rwX "$1"* && rm -rf "$1"*`;
/** The time for which the watcher outlives the last group, so that an idle server has none, in milliseconds. */
const IDLE_MS = 250;
/** The time in which groups gather before the watcher gets them. Most short commands have ended by then. */
const GATHER_MS = 20;

/** Ends the process groups of a killed server (decision 34). */
export interface GroupWatch {
  /**
   * Adds a group. The watcher gets it at once, or within milliseconds if it `isFindable`: if its processes have a
   * `TMPDIR` with the prefix.
   */
  add(group: number, isFindable: boolean): void;
  remove(group: number): void;
  /** Ends the watcher, if it runs. */
  close(): void;
}

/** Creates a watch without groups; `prefix` begins the paths of the server's folders. Windows has no process groups. */
export function createGroupWatch(prefix: string, log: Log): GroupWatch {
  if (process.platform === 'win32') return { add() {}, remove() {}, close() {} };
  const groups: number[] = [];
  /** The groups that the watcher has not got yet. */
  let untold: number[] = [];
  let gathering: Timer | undefined;
  /** Lines about ended groups. They are written together with the next group, because each write wakes the watcher. */
  let ended = '';
  let watcher: Bun.Subprocess<'pipe', 'ignore', 'ignore'> | undefined;
  let timer: Timer | undefined;
  /** True if no group was added since `settle` looked last. */
  let isIdle = true;
  return {
    add(group, isFindable) {
      groups.push(group);
      isIdle = false;
      if (watcher === undefined) {
        start();
        return;
      }
      untold.push(group);
      // Each line wakes the watcher, and takes a twentieth of the time of a short command.
      if (isFindable) gathering ??= setTimeout(() => tell(), GATHER_MS).unref();
      else tell();
    },
    remove(group) {
      groups.splice(groups.indexOf(group), 1);
      const index = untold.indexOf(group);
      if (index >= 0) untold.splice(index, 1);
      else ended += `-${group}\n`;
      // No system reuses a process number within this time.
      timer ??= setTimeout(settle, IDLE_MS).unref();
    },
    close: end,
  };

  function settle(): void {
    timer = undefined;
    if (groups.length === 0 && isIdle) {
      end();
      return;
    }
    tell();
    if (groups.length > 0) return;
    isIdle = true;
    timer = setTimeout(settle, IDLE_MS).unref();
  }

  function start(): void {
    try {
      const started = Bun.spawn(['sh', '-u', '-c', SCRIPT, 'repo-watch', prefix], {
        stdin: 'pipe',
        stdout: 'ignore',
        stderr: 'ignore',
        env: environmentForPrograms(),
        cwd: '/',
        // In its own session: signals to the server's group do not reach it.
        detached: true,
      });
      started.unref();
      watcher = started;
      void started.exited.then(() => forget(started));
    } catch (cause) {
      log.warn({ err: cause }, 'commands would outlive this server if it were killed: sh cannot be started');
      return;
    }
    ended = '';
    untold = [...groups];
    tell();
  }

  function tell(last = ''): void {
    const told = watcher;
    clearTimeout(gathering);
    gathering = undefined;
    const lines = `${ended}${untold.map((group) => `${group}\n`).join('')}${last}`;
    if (told === undefined || lines === '') return;
    try {
      told.stdin.write(lines);
      ended = '';
      untold = [];
      const flushed = told.stdin.flush();
      if (typeof flushed !== 'number') void flushed.catch(() => forget(told));
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      forget(told);
    }
  }

  /** Forgets an ended watcher. The next group starts a new one with all groups. */
  function forget(gone: typeof watcher): void {
    if (watcher === gone) watcher = undefined;
  }

  function end(): void {
    clearTimeout(timer);
    timer = undefined;
    tell('end\n');
    watcher = undefined;
  }
}

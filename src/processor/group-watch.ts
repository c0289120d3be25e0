import { environmentForPrograms } from '../base/env.ts';
import { codeOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';

/**
 * Reads group numbers, each with a minus once the group has ended. Where the input ends without the word "end", the
 * server was killed: the groups that are left are killed, and the folders that begin with the prefix are removed. A
 * command that the server had started and not yet told of is known by its TMPDIR, where there is /proc, at the latest
 * when it has become another program than the server.
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
/** How long the watcher outlives the last group: it is no process more on a server that does nothing. */
const IDLE_MS = 250;

/** Ends the process groups of a server that was killed (decision 034). */
export interface GroupWatch {
  add(group: number): void;
  remove(group: number): void;
  /** Ends the watcher, if it runs. */
  close(): void;
}

/** A watch over no groups; `prefix` begins the paths of the server's folders. Windows has no such groups. */
export function createGroupWatch(prefix: string, log: Log): GroupWatch {
  if (process.platform === 'win32') return { add() {}, remove() {}, close() {} };
  const groups: number[] = [];
  /** Lines about groups that have ended. They are told with the next group, as every write wakes the watcher. */
  let ended = '';
  let watcher: Bun.Subprocess<'pipe', 'ignore', 'ignore'> | undefined;
  let timer: Timer | undefined;
  return {
    add(group) {
      groups.push(group);
      if (watcher === undefined) start();
      else tell(`${group}`);
    },
    remove(group) {
      groups.splice(groups.indexOf(group), 1);
      ended += `-${group}\n`;
      // Soon enough: no system gives a number out again within that time.
      timer ??= setTimeout(settle, IDLE_MS).unref();
    },
    close: end,
  };

  function settle(): void {
    timer = undefined;
    if (groups.length === 0) end();
    else tell('');
  }

  function start(): void {
    try {
      const started = Bun.spawn(['sh', '-u', '-c', SCRIPT, 'repo-watch', prefix], {
        stdin: 'pipe',
        stdout: 'ignore',
        stderr: 'ignore',
        env: environmentForPrograms(),
        cwd: '/',
        // In a session of its own, so that whatever ends the server's group leaves it.
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
    tell(groups.join('\n'));
  }

  function tell(line: string): void {
    const told = watcher;
    clearTimeout(timer);
    timer = undefined;
    if (told === undefined) return;
    try {
      told.stdin.write(`${ended}${line}\n`);
      ended = '';
      const flushed = told.stdin.flush();
      if (typeof flushed !== 'number') void flushed.catch(() => forget(told));
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      forget(told);
    }
  }

  /** The next group starts another one, which is told of all groups. */
  function forget(gone: typeof watcher): void {
    if (watcher === gone) watcher = undefined;
  }

  function end(): void {
    tell('end');
    watcher = undefined;
  }
}

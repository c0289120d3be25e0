import { Command } from 'commander';
import type { Services } from '../repository/content/services.ts';
import type { BuildProgress } from '../repository/search-index/build-index.ts';
import type { ExitCode } from './attempt.ts';
import { type ProgressStyle, showProgress } from './progress-display.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { unlessStopped } from './stop-signal.ts';
import { withRepository } from './with-repository.ts';

interface ReindexFlags extends SettingFlags {
  restart?: boolean;
  quiet?: boolean;
}

const AFTER = `
The index follows each change by itself, and a server rebuilds it after an upgrade that needs it. This command is for an
index that was damaged, or files that were changed in their storage. It works while the repository runs. The same command
resumes a build after Ctrl-C or a crash.

Examples:
  repo search reindex
  repo search reindex --restart`;

const LOOK: ProgressStyle<BuildProgress> = {
  format: '[{bar}] {percentage}% | {value} of {total} nodes | {eta_formatted} left',
  measure: ({ done, total }) => ({ total, value: done, facts: {} }),
  lineOf: ({ done, total }) => `Indexed ${done} of ${total} nodes.`,
  isResumable: true,
};

/** Creates `repo search reindex`, which builds the search index again. */
export function reindexCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('reindex')
    .description('build the search index again')
    .option('--restart', 'start again instead of resuming an interrupted build')
    .option('--quiet', 'show no progress');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (flags: ReindexFlags, self: Command) => {
      finish(await withRepository(flags, self, ({ services }) => reindex(services, flags), { hasStores: true }));
    });
}

async function reindex(services: Services, { restart, quiet = false }: ReindexFlags): Promise<boolean> {
  const { buildIndex } = await import('../repository/search-index/build-index.ts');
  const { readIndexState } = await import('../repository/search-index/index-state.ts');
  const { building } = await readIndexState(services.database);
  const isResumed = building === services.search.model.version && !restart;
  const display = showProgress(LOOK, quiet);
  const whenStopped = 'The build was interrupted. Run the same command to resume it; a running server resumes it, too.';
  const startedAt = performance.now();
  try {
    const built = await unlessStopped(whenStopped, (signal) =>
      buildIndex(services, { signal, restarts: !isResumed, onProgress: display.show }),
    );
    if (built === undefined) return false;
    display.end();
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    console.log(`The search index has ${built.total} nodes${isResumed ? ' (resumed)' : ''}, after ${seconds} s.`);
    return true;
  } finally {
    display.end();
  }
}

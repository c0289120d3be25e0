import { Command } from 'commander';
import { version } from '../../package.json' with { type: 'json' };

/** `repo version`: what this executable is, for a bug report. */
export function versionCommand(): Command {
  return new Command('version')
    .description('print the version')
    .action(() => console.log(`repo ${version} (bun ${Bun.version}, ${process.platform} ${process.arch})`));
}

import { Command } from 'commander';
import { version } from '../../package.json' with { type: 'json' };

/** The version of this executable and of its runtime. */
export const VERSION_TEXT = `repo ${version} (bun ${Bun.version}, ${process.platform} ${process.arch})`;

/** Creates `repo version`, which prints the version for a bug report. */
export function versionCommand(): Command {
  return new Command('version').description('print the version').action(() => console.log(VERSION_TEXT));
}

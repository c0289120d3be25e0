import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import notices from '../../node_modules/.browser/third-party.txt' with { type: 'file' };

/** Creates `repo licenses`, which prints the license texts of the packages in this executable. */
export function licensesCommand(): Command {
  return new Command('licenses')
    .description('print the licenses of the packages in this program')
    .action(() => console.log(readFileSync(notices, 'utf8').trimEnd()));
}

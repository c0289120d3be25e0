import { Command } from 'commander';
import type { ExitCode } from './attempt.ts';
import { gcCommand } from './storage-gc.ts';
import { moveCommand } from './storage-move.ts';
import { verifyCommand } from './storage-verify.ts';

const AFTER = `
All of this may be done while the repository runs, from any machine that has its database and its storage.

Examples:
  repo storage verify
  repo storage verify --schedule 30d
  repo storage gc
  repo storage move --from public --to s3`;

/** Creates `repo storage`, which checks, cleans up and moves stored objects. */
export function storageCommand(finish: (code: ExitCode) => void): Command {
  const storage = new Command('storage')
    .description('check, tidy and move the bytes of files')
    .addHelpText('after', AFTER);
  storage.addCommand(verifyCommand(finish));
  storage.addCommand(gcCommand(finish));
  storage.addCommand(moveCommand(finish));
  return storage;
}

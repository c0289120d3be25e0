import { Command } from 'commander';
import type { ExitCode } from './attempt.ts';
import { gcCommand } from './storage-gc.ts';
import { moveCommand } from './storage-move.ts';
import { verifyCommand } from './storage-verify.ts';

const AFTER = `
These commands work while the repository runs, on any machine with access to its database and storage.

Examples:
  repo storage verify
  repo storage verify --schedule 30d
  repo storage gc
  repo storage move --from public --to s3`;

/** Creates `repo storage`, which checks, cleans up and moves stored objects. */
export function storageCommand(finish: (code: ExitCode) => void): Command {
  const storage = new Command('storage')
    .description('check, clean up and move stored files')
    .addHelpText('after', AFTER);
  storage.addCommand(verifyCommand(finish));
  storage.addCommand(gcCommand(finish));
  storage.addCommand(moveCommand(finish));
  return storage;
}

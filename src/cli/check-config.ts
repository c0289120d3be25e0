import { Command } from 'commander';
import { processorSource } from '../config/processor-source.ts';
import { SETTINGS } from '../config/settings.ts';
import type { ProcessorConfigSource } from '../processor/config/load-config.ts';
import { attempt, EXIT, type ExitCode } from './attempt.ts';
import { type Mode, modeOption, optionFor, overridesFrom } from './settings.ts';

interface CheckFlags {
  mode: Mode;
  model?: string;
}

/** Creates `repo check-config`, which reports the problems that `repo serve` would find in a configuration. */
export function checkConfigCommand(finish: (code: ExitCode) => void): Command {
  return new Command('check-config')
    .description('check a configuration without starting the server')
    .argument('[file]', 'configuration file')
    .addOption(modeOption())
    .addOption(optionFor(SETTINGS.modelFile, 'content model of your own (not in processor mode)'))
    .action(async (file: string | undefined, flags: CheckFlags, command: Command) => {
      if (await isForProcessor(file, flags, command)) {
        if (flags.model !== undefined) command.error('--model has no effect with --mode processor');
        finish(await checkProcessor(processorSource(file) ?? missingFile(command)));
      } else
        finish(await checkServer(flags.model === undefined ? (file ?? missingFile(command)) : file, flags, command));
    });
}

/** Without --mode, the keys of the file determine the mode. */
async function isForProcessor(file: string | undefined, flags: CheckFlags, command: Command): Promise<boolean> {
  if (flags.mode === 'processor') return true;
  const isModeGiven = command.getOptionValueSource('mode') !== 'default';
  if (isModeGiven || flags.model !== undefined || file === undefined) return false;
  const { looksLikeProcessorConfig } = await import('../server/check-server-config.ts');
  return looksLikeProcessorConfig(file);
}

const missingFile = (command: Command) => command.error("missing required argument 'file'");

function checkProcessor(source: ProcessorConfigSource): Promise<ExitCode> {
  return attempt(async () => {
    const { loadProcessorConfig } = await import('../processor/config/load-config.ts');
    const { commands, warnings } = await loadProcessorConfig(source);
    for (const warning of warnings) console.error(`warning: ${warning}`);
    const entries = commands.size === 1 ? '1 entry' : `${commands.size} entries`;
    console.log(`${source.file}: valid, ${entries} in cmdByMimeType`);
    return EXIT.ok;
  });
}

function checkServer(file: string | undefined, flags: CheckFlags, command: Command): Promise<ExitCode> {
  return attempt(async () => {
    const { checkServerConfig } = await import('../server/check-server-config.ts');
    const { model } = flags;
    const { facts } = await checkServerConfig(file, overridesFrom({ model }, command), flags.mode === 'all');
    console.log([`${file ?? model}: valid`, ...facts].join('\n  '));
    return EXIT.ok;
  });
}

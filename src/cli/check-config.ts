import { Command } from 'commander';
import { attempt } from './attempt.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { type Mode, modeOption } from './mode.ts';
import { overridesFrom } from './settings.ts';

interface CheckFlags {
  mode: Mode;
  model?: string;
}

/** `repo check-config`: says what `repo serve` would say about a configuration, without starting. */
export function checkConfigCommand(finish: (code: ExitCode) => void): Command {
  return new Command('check-config')
    .description('check a configuration file without starting')
    .argument('[file]', 'the configuration file')
    .addOption(modeOption())
    .option('--model <file>', 'a content model of your own to check (not in processor mode)')
    .action(async (file: string | undefined, flags: CheckFlags, command: Command) => {
      if (flags.mode === 'processor') finish(await checkProcessor(requireFile(file, flags, command)));
      else
        finish(await checkServer(flags.model === undefined ? requireFile(file, flags, command) : file, flags, command));
    });
}

function requireFile(file: string | undefined, { mode, model }: CheckFlags, command: Command): string {
  if (mode === 'processor' && model !== undefined) command.error('--model has no effect with --mode processor');
  return file ?? command.error("missing required argument 'file'");
}

function checkProcessor(file: string): Promise<ExitCode> {
  return attempt(async () => {
    const { loadProcessorConfig } = await import('../modes/processor-config.ts');
    const { commands, warnings } = await loadProcessorConfig({ file, mayLack: false });
    for (const warning of warnings) console.error(`warning: ${warning}`);
    const entries = commands.size === 1 ? '1 entry' : `${commands.size} entries`;
    console.log(`${file}: good, ${entries} in cmdByMimeType`);
    return EXIT.ok;
  });
}

function checkServer(file: string | undefined, flags: CheckFlags, command: Command): Promise<ExitCode> {
  return attempt(async () => {
    const { checkServerConfig } = await import('../modes/check-server-config.ts');
    const { model } = flags;
    const overrides = { ...overridesFrom({}, command), ...(model !== undefined && { modelFile: model }) };
    const { facts } = await checkServerConfig(file, overrides, flags.mode === 'all');
    console.log([`${file ?? model}: good`, ...facts].join('\n  '));
    return EXIT.ok;
  });
}

import { Command } from 'commander';
import { ConfigError } from '../base/yaml-file.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { type Mode, modeOption, whyNot } from './mode.ts';

/** `repo check-config`: says what `repo serve` would say about a configuration, without starting. */
export function checkConfigCommand(finish: (code: ExitCode) => void): Command {
  return new Command('check-config')
    .description('check a configuration file without starting')
    .argument('<file>', 'the configuration file')
    .addOption(modeOption())
    .action(async (file: string, { mode }: { mode: Mode }, command: Command) => {
      const unavailable = whyNot(mode);
      if (unavailable) command.error(unavailable);
      const { loadProcessorConfig } = await import('../modes/processor-config.ts');
      try {
        const config = await loadProcessorConfig(file);
        const entries = config.commands.size === 1 ? '1 entry' : `${config.commands.size} entries`;
        console.log(`${file}: good, ${entries} in cmdByMimeType`);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        console.error(error.message);
        finish(EXIT.failure);
      }
    });
}

import { Option } from 'commander';

export const MODES = ['processor', 'repository', 'all'] as const;
export type Mode = (typeof MODES)[number];

export const modeOption = () =>
  new Option('--mode <mode>', 'what to run: the repository, the processor, or both in one')
    .choices(MODES)
    .default('all');

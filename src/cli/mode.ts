import { Option } from 'commander';

export const MODES = ['processor', 'repository', 'all'] as const;
export type Mode = (typeof MODES)[number];

export const modeOption = () => new Option('--mode <mode>', 'what to run').choices(MODES).default('all');

/** Why a mode cannot be had in this version, or undefined for one that can. */
export function whyNot(mode: Mode): string | undefined {
  if (mode === 'processor') return undefined;
  return `this version has the processor alone and no repository yet: add --mode processor instead of --mode ${mode}`;
}

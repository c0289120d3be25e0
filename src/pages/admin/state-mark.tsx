import type { StatusState } from '../../representation/status-report.ts';

const WORDS: Readonly<Record<StatusState, string>> = { fine: 'Fine', look: 'Look at this', fix: 'Fix this' };

/** Shows the state of a part in words. */
export function StateMark({ state }: { readonly state: StatusState }) {
  return <span class={`state state-${state}`}>{WORDS[state]}</span>;
}

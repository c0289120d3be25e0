import { ACCESS_LEVELS } from '../model/access-presets.ts';
import { labelOf } from '../model/access-rules.ts';
import type { Control, ControlContext } from './control.ts';

const NOTES = 'Reason and contact';
const MORE = 'More: dates, who is let in, and which files stay open';

/** Returns the controls of an access rule: the choice in words and the day of an embargo, then the folded ones. */
export function accessControls({ presets, roles, networks }: ControlContext['access']): Control[] {
  return [
    {
      kind: 'choice',
      member: 'preset',
      label: 'Access',
      options: presets,
      none: 'No rule of its own',
      help: 'Without a rule of its own, the item is open, or as restricted as the collections that it belongs to.',
    },
    {
      ...{ kind: 'text', type: 'date', isShort: true, member: 'until', label: 'Open again from' },
      help: 'The first day on which the rule no longer holds, such as the end of an embargo. Empty for no end.',
    },
    {
      ...{ kind: 'text', member: 'reason', label: 'Reason', fold: NOTES },
      help: 'Shown to everyone who meets the rule. Example: Under embargo by contract with the publisher',
    },
    {
      ...{ kind: 'text', member: 'contact', label: 'Whom to ask', fold: NOTES },
      help: 'A mail address, shown to everyone who meets the rule.',
    },
    {
      ...{ kind: 'text', type: 'date', isShort: true, member: 'from', label: 'Restricted from', fold: MORE },
      help: 'The first day on which the rule holds. Empty for at once.',
    },
    {
      ...{ kind: 'choice', member: 'level', label: 'What is restricted', fold: MORE, none: 'As chosen above' },
      options: ACCESS_LEVELS.map((value) => ({ value, label: labelOf(value) })),
    },
    { ...list('roles', 'Roles that are let in'), help: `Separated by commas. Roles: ${roles.join(', ')}` },
    { ...list('networks', 'Networks that are let in'), help: networksHelp(networks) },
    { ...list('users', 'Users who are let in'), help: 'The numbers of their accounts, separated by commas.' },
    { ...list('terms', 'Access terms whose holders are let in'), help: 'The numbers of terms, separated by commas.' },
    {
      ...list('open_uses', 'Files that stay open'),
      help: 'The URIs of media uses, separated by commas. Empty for those of the choice above.',
    },
  ];
}

function list(member: string, label: string): Control & { readonly kind: 'text' } {
  return { kind: 'text', member, label, isList: true, fold: MORE };
}

function networksHelp(networks: readonly string[]): string {
  if (networks.length === 0) return 'The configuration of this repository has no networks.';
  return `Separated by commas. Networks: ${networks.join(', ')}`;
}

import type { AccessRights } from '../../model/access-rules.ts';
import { hasClosedFiles } from '../../repository/access/has-closed-files.ts';
import { seesFilesOf } from '../../repository/access.ts';
import type { Head } from '../../repository/content/base-field.ts';
import { findNamed } from '../../repository/content/lists/complete-target.ts';
import type { Call } from '../../web/call.ts';
import { ruleInWords } from './access-words.ts';

/** A rule that applies to an item, in words for its editors. */
export interface AppliedRule {
  readonly label: string;
  readonly text: string;
  /** The item from which the rule comes; undefined for its own rule. Its name is missing if the editor may not view it. */
  readonly source: { readonly id: number; readonly label: string | undefined } | undefined;
}

/** The effect of access rules on the page of an item. It is JSON. */
export interface ItemAccess {
  /** What is closed to the caller. Undefined for nothing, and for an item without files. */
  readonly closed: AccessRights | undefined;
  /** The rules, for callers who may change the item. */
  readonly rules: readonly AppliedRule[] | undefined;
  /** The networks as which an editor may view the page. */
  readonly networks: readonly string[];
}

/** Returns the effect of access rules on the page of an item. */
export async function itemAccess(call: Call, head: Head, mayEdit: boolean): Promise<ItemAccess> {
  const { api, actor } = call;
  const { access, database, fields } = api.services;
  const rights = access.rightsOf(head.accessSet);
  const isClosed =
    rights !== undefined &&
    !seesFilesOf(actor, head) &&
    (await hasClosedFiles(database, head.id, actor.sight.openUsesOf(head.accessSet)));
  return {
    closed: isClosed ? rights : undefined,
    rules: mayEdit ? await appliedRules(call, head.accessSet) : undefined,
    networks: mayEdit ? [...fields.access.networks.keys()] : [],
  };
}

/** Returns the rules that apply to content of an access set, in words. */
async function appliedRules(call: Call, setId: number): Promise<AppliedRule[]> {
  const { api, actor } = call;
  const { access, database, model } = api.services;
  const { sets, today } = access;
  const inWords = (id: number, source: AppliedRule['source']) =>
    sets.rulesOf(id).map((rule) => ({ label: rule.label, text: ruleInWords(rule, model, today), source }));
  if (sets.hasOwnRule(setId)) return inWords(setId, undefined);
  const sources = await findNamed(database, 'node', sets.sourcesOf(setId));
  return sources.flatMap(({ id, label, ...facts }) => {
    const isVisible = api.kinds.node.access.view(actor, facts).isAllowed;
    return inWords(facts.accessSet, { id, label: isVisible ? label : undefined });
  });
}

import { query } from '../../../database/query-builder.ts';
import { paragraphRevisions } from '../../../database/schema/content.ts';
import { isAmong } from '../../../database/sql.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import type { Violation } from '../../../field-types/field-type.ts';
import type { Item } from '../../../model/content-model.ts';
import type { ContentType, HostFacts } from '../../access-rule.ts';
import { MAX_NESTED } from '../read/paragraph-hosts.ts';
import type { Services } from '../services.ts';
import type { Target, Targets } from './targets.ts';

/** The entity that refers to paragraphs. */
export interface Host {
  readonly type: ContentType;
  /** Undefined for a new entity. */
  readonly id: number | undefined;
  /** The hosts of a paragraph, as in `ContentFacts`. */
  readonly hosts: readonly HostFacts[];
}

/** Returns the reason why a paragraph cannot belong to this host; undefined if it can. */
export function refusedHost({ id, paragraph }: Target, host: Host | undefined): string | undefined {
  const refusal = (reason: string) => `This entity (paragraph: ${id}) cannot be referenced: ${reason}`;
  const [present] = paragraph?.hosts ?? [];
  if (present !== undefined && (present.type !== host?.type || present.id !== host.id))
    return refusal(`it belongs to ${present.type} ${present.id}, and a paragraph belongs to one entity only.`);
  if (host?.type !== 'paragraph') return undefined;
  const isAbove = host.hosts.some((each) => each.type === 'paragraph' && each.id === id);
  if (host.id === id || isAbove) return refusal('it is the paragraph itself or contains it.');
  const above = host.hosts.filter(({ type }) => type === 'paragraph').length + 1;
  return above + (paragraph?.height ?? 1) > MAX_NESTED
    ? refusal(`more than ${MAX_NESTED} paragraphs would be nested.`)
    : undefined;
}

/** Returns a reference with a revision; default: the current one. */
export function withRevision(item: Item, { paragraph }: Target): Item {
  if (paragraph === undefined) return item;
  return { ...item, target_revision_id: item.target_revision_id ?? paragraph.revisionId };
}

const revisionsAmong = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ id: paragraphRevisions.id, paragraphId: paragraphRevisions.entityId })
    .from(paragraphRevisions)
    .where(isAmong(paragraphRevisions.id, ids)),
);

/** Returns violations for references with a revision of another paragraph, by field name. */
export async function foreignRevisions(
  { database }: Services,
  fields: readonly { readonly name: string; readonly items: readonly Item[] }[],
  targets: Targets,
): Promise<Map<string, Violation[]>> {
  const violations = new Map<string, Violation[]>();
  const previous = fields.flatMap(({ name, items }) =>
    items.flatMap(({ target_id, target_revision_id: revision }, delta) => {
      const target = targets.get('paragraph', Number(target_id));
      const isFormer = target !== undefined && Number.isSafeInteger(revision);
      return isFormer && revision !== target.paragraph?.revisionId
        ? [{ name, delta, id: target.id, revision: Number(revision) }]
        : [];
    }),
  );
  if (previous.length === 0) return violations;
  const rows = await database.all(revisionsAmong({ ids: JSON.stringify(previous.map(({ revision }) => revision)) }));
  const paragraphOf = new Map(rows.map(({ id, paragraphId }) => [id, paragraphId]));
  for (const { name, delta, id, revision } of previous) {
    if (paragraphOf.get(revision) === id) continue;
    const message = `The referenced entity (paragraph: ${id}) has no revision ${revision}.`;
    violations.set(name, [...(violations.get(name) ?? []), { path: `${name}.${delta}.target_revision_id`, message }]);
  }
  return violations;
}

import { foldLabel } from '../../repository/content/content-rows.ts';
import type { Services } from '../../repository/content/services.ts';
import { firstValue, textsOf } from './document-members.ts';
import type { Here, Known } from './known-here.ts';
import type { PackedEntity } from './read-package.ts';

const PARENTS = `(SELECT json_group_array(target_id) FROM reference
  WHERE source_type = 'taxonomy_term' AND source_id = t.id AND field = 'parent')`;
const URIS = '(SELECT json_group_array(uri) FROM term_uri WHERE term_id = t.id)';
const CANDIDATES = `SELECT t.id, t.uuid, t.bundle, t.folded_label, ${PARENTS}, ${URIS} FROM taxonomy_term t
  WHERE t.id IN (SELECT u.term_id FROM json_each(?) j JOIN term_uri u ON u.uri = j.value)
    OR t.id IN (SELECT n.id FROM json_each(?) j JOIN taxonomy_term n
      ON n.bundle = j.value ->> 0 AND n.folded_label = j.value ->> 1)
  ORDER BY t.id`;

interface Candidate extends Known {
  readonly label: string;
  readonly parents: readonly number[];
  readonly uris: readonly string[];
}

/**
 * Finds the terms of a package that the repository has under another UUID, and notes them: those of the same vocabulary
 * that stand for the same URI; else those of the same name at the same place below the same terms, unless they stand for
 * another URI. Two terms of a package never become one.
 */
export async function matchTerms(services: Services, terms: readonly PackedEntity[], here: Here): Promise<void> {
  const open = terms.filter(({ uuid }) => here.get('taxonomy_term', uuid) === undefined).map(describe);
  if (open.length === 0) return;
  const candidates = await findCandidates(services, open);
  const taken = new Set(terms.flatMap(({ uuid }) => here.get('taxonomy_term', uuid)?.id ?? []));
  const accept = (term: Described, match: Candidate | undefined) => {
    if (match === undefined) return false;
    taken.add(match.id);
    here.set(term.uuid, match);
    return true;
  };
  const free = ({ bundle }: Described) => candidates.filter((each) => each.bundle === bundle && !taken.has(each.id));
  let named = open.filter(
    (term) =>
      !accept(
        term,
        free(term).find(({ uris }) => term.uris.some((uri) => uris.includes(uri))),
      ),
  );
  // A term below one that was matched a moment ago can be matched then.
  for (let count = -1; count !== named.length; ) {
    count = named.length;
    named = named.filter(
      (term) =>
        !accept(
          term,
          free(term).find((each) => isSame(term, each, here)),
        ),
    );
  }
}

interface Described {
  readonly uuid: string;
  readonly bundle: string;
  readonly label: string;
  readonly uris: readonly string[];
  readonly parents: readonly string[];
}

function describe({ uuid, revisions: [document] }: PackedEntity): Described {
  return {
    uuid,
    bundle: textsOf(document, 'vid', 'target_id')[0] ?? '',
    label: foldLabel(String(firstValue(document, 'name') ?? '')),
    uris: [...textsOf(document, 'field_external_uri', 'uri'), ...textsOf(document, 'field_authority_link', 'uri')],
    parents: textsOf(document, 'parent', 'target_uuid'),
  };
}

function isSame(term: Described, candidate: Candidate, here: Here): boolean {
  if (candidate.label !== term.label || (term.uris.length > 0 && candidate.uris.length > 0)) return false;
  const parents = term.parents.map((uuid) => here.get('taxonomy_term', uuid)?.id);
  return parents.length === candidate.parents.length && parents.every((id) => id && candidate.parents.includes(id));
}

async function findCandidates({ database }: Services, terms: readonly Described[]): Promise<Candidate[]> {
  const { rows } = await database.client.execute({
    sql: CANDIDATES,
    args: [
      JSON.stringify(terms.flatMap(({ uris }) => uris)),
      JSON.stringify(terms.map(({ bundle, label }) => [bundle, label])),
    ],
  });
  return (rows as unknown as [number, string, string, string, string, string][]).map(
    ([id, uuid, bundle, label, parents, uris]) => ({
      type: 'taxonomy_term',
      id,
      uuid,
      bundle,
      sha256: undefined,
      label,
      parents: JSON.parse(parents),
      uris: JSON.parse(uris),
    }),
  );
}

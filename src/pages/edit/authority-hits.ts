import { type AuthorityHit, completeAuthority } from '../../authorities/complete-authority.ts';
import { termsWithUris } from '../../authorities/take-over.ts';
import { yearsText } from '../../authorities/term-values.ts';
import type { FieldDefinition, Vocabulary } from '../../model/content-model.ts';
import type { Call } from '../../web/call.ts';
import { bundlesOf } from './bundles-of-target.ts';

/** A record of an authority list, as a form offers it. */
interface OfferedAuthority {
  readonly uri: string;
  readonly name: string;
  readonly match: string | null;
  readonly kind: string;
  readonly years: string;
  readonly scope: string | null;
  readonly list: string;
  readonly source: string;
  readonly vocabulary: string;
  readonly bundle: string;
  readonly id: number | null;
  readonly creates: boolean;
}

/** Names from outside the vocabularies of this repository, for a form. */
export interface OutsideNames {
  readonly authorities: readonly OfferedAuthority[];
  /** The services on the web that can be asked. */
  readonly services: readonly { readonly name: string; readonly label: string }[];
  readonly notices: readonly string[];
}

/** Returns records of authority lists to whose terms a reference may point, and whose names fit a text. */
export async function namesOfLists(
  call: Call,
  definition: FieldDefinition,
  text: string,
  limit: number,
): Promise<OutsideNames> {
  const { authorities, services } = call.api;
  const vocabularies = vocabulariesOf(call, definition);
  const hits = await completeAuthority(services.database, vocabularies, text, limit);
  return { authorities: await offered(call, hits), services: authorities.namesFor(vocabularies), notices: [] };
}

/** Returns the records of a service on the web that fit a text, or a sentence if it does not answer. */
export async function namesOfService(
  call: Call,
  definition: FieldDefinition,
  text: string,
  service: string,
): Promise<OutsideNames> {
  const vocabularies = vocabulariesOf(call, definition);
  const { hits, notice } = await call.api.authorities.search(service, vocabularies, text);
  return { authorities: await offered(call, hits), services: [], notices: notice === undefined ? [] : [notice] };
}

/** Returns the vocabularies to which a reference may point. */
function vocabulariesOf(call: Call, definition: FieldDefinition): Vocabulary[] {
  if (definition.targetType !== 'taxonomy_term') return [];
  const { vocabularies } = call.api.services.model;
  return bundlesOf(call, definition).flatMap((name) => vocabularies.get(name) ?? []);
}

/** Returns hits as a form offers them, with the terms that the caller may view of those that have one already. */
async function offered(call: Call, hits: readonly AuthorityHit[]): Promise<OfferedAuthority[]> {
  if (hits.length === 0) return [];
  const { access } = call.api.kinds.taxonomy_term;
  const known = await termsWithUris(
    call.api.services.database,
    hits.map(({ record }) => record.uri),
  );
  const visible = known.filter((term) => access.view(call.actor, term).isAllowed);
  return hits.map(({ record, list, source, vocabulary, match }) => ({
    ...{ uri: record.uri, name: record.label, match: match ?? null, kind: record.kind, years: yearsText(record) },
    ...{ scope: record.scope ?? null, list, source, vocabulary: vocabulary.name, bundle: vocabulary.label },
    id: visible.find(({ uri, bundle }) => uri === record.uri && bundle === vocabulary.name)?.id ?? null,
    creates: access.create(call.actor, vocabulary.name).isAllowed,
  }));
}

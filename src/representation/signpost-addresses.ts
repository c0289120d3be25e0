import { madeOnce } from '../base/made-once.ts';
import { isLinkAddress } from '../field-types/link.tsx';
import { encodeAddress } from '../http/link-header.ts';
import type { FieldValues } from '../model/content-model.ts';
import type { FieldSignpost, Signpost } from '../model/signposting.ts';
import { entityPath } from '../paths.ts';
import type { Neighbour, Surroundings } from '../repository/content/read/surroundings.ts';

/** Returns the address of the first value of these fields that is an address or a resolvable identifier. */
export function findCited(members: FieldValues, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    for (const value of valuesOf(members, field)) {
      const address = permanentAddress(value);
      if (address !== undefined) return address;
    }
  }
  return undefined;
}

/**
 * Returns the absolute addresses of signposts. Skips references to targets that are not in `around`, and values that
 * are not web addresses.
 */
export function addressesOf(
  signposts: readonly Signpost[],
  rel: string,
  members: FieldValues,
  around: Surroundings,
  baseUrl: string,
): string[] {
  const addresses: string[] = [];
  const add = (address: string | undefined) => {
    if (address !== undefined) addresses.push(address);
  };
  for (const signpost of signposts) {
    if ('address' in signpost) addresses.push(signpost.address);
    else if (signpost.isReference) {
      for (const target of targetsOf(signpost, members, around)) add(addressOf(target, rel, baseUrl));
    } else {
      for (const value of valuesOf(members, signpost.field)) add(webAddressIn(value));
    }
  }
  return addresses;
}

/** Returns the addresses of a link field, or the texts of another field. */
function valuesOf(members: FieldValues, field: string): string[] {
  return (members[field] ?? []).map(({ uri, value }) =>
    typeof uri === 'string' ? encodeAddress(uri) : String(value ?? ''),
  );
}

/** Returns the targets of a field, or of its items with one of the relations: a person may have several. */
function targetsOf(
  { field, relations }: FieldSignpost,
  members: FieldValues,
  around: Surroundings,
): readonly Neighbour[] {
  const targets: Neighbour[] = [];
  for (const each of around.targets) if (each.field === field) targets.push(each.target);
  if (relations === undefined || targets.length === 0) return targets;
  const byId = new Map<unknown, Neighbour>(targets.map((target) => [target.id, target]));
  const items = (members[field] ?? []).filter(({ rel_type }) => relations.has(String(rel_type)));
  return items.map(({ target_id }) => byId.get(target_id)).filter((target) => target !== undefined);
}

/** Returns the external address of a term. Terms are cached, so that most addresses are checked once. */
const elsewhereOf = madeOnce(({ authorityUri, externalUri }: Neighbour) => ({
  address: webAddressIn(encodeAddress(authorityUri ?? '')) ?? webAddressIn(encodeAddress(externalUri ?? '')),
}));

/** Returns the external address of a term, or the local address. A term without external address is no `type`. */
function addressOf(target: Neighbour, rel: string, baseUrl: string): string | undefined {
  const { type, id } = target;
  const { address: elsewhere } = elsewhereOf(target);
  if (type === 'taxonomy_term' && (elsewhere !== undefined || rel === 'type')) return elsewhere;
  return baseUrl + entityPath[type](id);
}

const DOI = /^(?:doi:\s*)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i;
const HANDLE = /^hdl:\s*(\d+(?:\.\w+)*\/\S+)$/i;
const ARK = /^ark:\s*\/?([0-9bcdfghjkmnpqrstvwxz]{5,16}\/\S+)$/i;
/** Characters that would end the path of an address. */
const PATH_ENDS = /[%?#]/g;

/** Returns the address that resolves a DOI, Handle or ARK, or a web address itself; undefined for other texts. */
export function permanentAddress(text: string): string | undefined {
  const identifier = text.trim();
  const [, doi] = DOI.exec(identifier) ?? [];
  if (doi !== undefined) return `https://doi.org/${doi.replace(PATH_ENDS, encodeURIComponent)}`;
  const [, handle] = HANDLE.exec(identifier) ?? [];
  if (handle !== undefined) return `https://hdl.handle.net/${handle.replace(PATH_ENDS, encodeURIComponent)}`;
  const [, ark] = ARK.exec(identifier) ?? [];
  if (ark !== undefined) return `https://n2t.net/ark:/${ark}`;
  return webAddressIn(identifier);
}

/** Returns the trimmed text if it is a web address, else undefined. */
function webAddressIn(text: string): string | undefined {
  const address = text.trim();
  return !/\s/.test(address) && isLinkAddress(address, 'external') ? address : undefined;
}

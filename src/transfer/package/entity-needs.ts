import type { LoadContext } from '../table/table-options.ts';
import { bundleIn, documentValues, type MissingTarget } from './document-values.ts';
import type { ExistingEntities } from './existing.ts';
import type { PackedEntity } from './read-package.ts';

/** A reference of an entity to a target that the repository does not have. */
export interface Need extends MissingTarget {
  /** True for a reference of an earlier revision, which is omitted if its target never comes. */
  readonly isFormer: boolean;
  /**
   * True for a reference of a node that is added after its target exists. Media usually belong to the node, or to one of
   * its members, so that the node must come first. Paragraphs may refer to such media.
   */
  readonly isLate: boolean;
}

/** Returns the references of an entity to targets that the repository does not have, or not yet. */
export function needsOf(
  { kinds, services }: Pick<LoadContext, 'kinds' | 'services'>,
  { type, revisions }: PackedEntity,
  existing: ExistingEntities,
): Need[] {
  const { types } = services.fields;
  const kind = kinds[type];
  return revisions.flatMap((document, index) => {
    const bundle = bundleIn(kind, document);
    if ('message' in bundle) return [];
    const { missing } = documentValues(
      { kind, bundle },
      types,
      document,
      (target, uuid) => existing.get(target, uuid)?.uuid,
    );
    return missing.map((each) => {
      const isRequired = bundle.fieldNamed.get(each.field)?.required ?? false;
      const isLate = type === 'node' && (each.type === 'media' || each.type === 'paragraph') && !isRequired;
      return { ...each, isFormer: index < revisions.length - 1, isLate };
    });
  });
}

/** Returns true if the reference can be omitted when its target does not exist. */
export function isOptional({ isFormer, isLate }: Need): boolean {
  return isFormer || isLate;
}

/** Returns true if an entity can be created before the target of the reference. */
export function canPrecede(need: Need, isExpected: (uuid: string) => boolean): boolean {
  return need.isLate || (need.isFormer && !isExpected(need.uuid));
}

import type { LoadContext } from '../table/table-options.ts';
import { bundleIn, documentValues, type MissingTarget } from './document-values.ts';
import type { Here } from './existing.ts';
import type { PackedEntity } from './read-package.ts';

/** A reference of an entity to what is not here. */
export interface Need extends MissingTarget {
  /** Of an earlier revision: without its target it can be left out. */
  readonly isFormer: boolean;
  /**
   * Of a node to a media, which belongs to that node as a rule, or to one below it: the node comes first, and gets the
   * reference when the media is there. So it does where it has to wait for a paragraph, which may refer to such a media.
   */
  readonly isLate: boolean;
}

/** What an entity refers to that is not here, or not yet. */
export function needsOf(
  { kinds, services }: Pick<LoadContext, 'kinds' | 'services'>,
  { type, revisions }: PackedEntity,
  here: Here,
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
      (target, uuid) => here.get(target, uuid)?.uuid,
    );
    return missing.map((each) => {
      const isRequired = bundle.fieldNamed.get(each.field)?.required ?? false;
      const isLate = type === 'node' && (each.type === 'media' || each.type === 'paragraph') && !isRequired;
      return { ...each, isFormer: index < revisions.length - 1, isLate };
    });
  });
}

/** Whether an entity can do without what it refers to, if nobody has it. */
export function isOptional({ isFormer, isLate }: Need): boolean {
  return isFormer || isLate;
}

/** Whether something can be made before what it refers to is there. */
export function mayComeBefore(need: Need, isExpected: (uuid: string) => boolean): boolean {
  return need.isLate || (need.isFormer && !isExpected(need.uuid));
}

import { yearsText } from '../../authorities/term-values.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import type { NamedTarget } from '../../repository/content/lists/complete-target.ts';
import { findTermFacts } from '../../repository/content/lists/term-facts.ts';
import type { Call } from '../../web/call.ts';

/** A target with what tells it from others of the same name. */
export interface DescribedTarget extends NamedTarget {
  /** The word for it: that of its vocabulary, or the label of its type. */
  readonly noun: string;
  /** Such as `1835–1910`; empty without dates. */
  readonly years: string;
  /** The number of published items that refer to a term. Undefined for other targets. */
  readonly items: number | undefined;
}

/** Returns the text of a target in a form. */
export function targetText({ label, id }: Pick<NamedTarget, 'label' | 'id'>): string {
  return `${label} (${id})`;
}

/** Returns targets of a reference with what tells them apart. */
export async function describedTargets(
  call: Call,
  { targetType }: FieldDefinition,
  targets: readonly NamedTarget[],
): Promise<DescribedTarget[]> {
  const { services, kinds } = call.api;
  const facts =
    targetType === 'taxonomy_term'
      ? await findTermFacts(
          services.database,
          targets.map(({ id }) => id),
        )
      : undefined;
  return targets.map((target) => {
    const own = facts?.get(target.id);
    const noun =
      facts === undefined
        ? kinds.node.bundles.get(target.bundle)?.label
        : services.model.vocabularies.get(target.bundle)?.noun;
    return { ...target, noun: noun ?? target.bundle, years: own ? yearsText(own) : '', items: own?.items };
  });
}

import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { pathOf, paths } from '../../paths.ts';

/** The place where `derivatives.js` shows the derivatives of a node as they are made. Nothing without JavaScript. */
export function DerivativeList({
  root,
  node,
  language,
  formToken,
}: {
  readonly root: string;
  readonly node: number;
  readonly language: string;
  /** The token for retries. Undefined on a page without one: failed derivatives are then shown alone. */
  readonly formToken?: string;
}) {
  return (
    <section
      class="panel derivative-list"
      aria-labelledby="page-derivatives"
      data-events={root + pathOf('nodeDerivativeEvents', { node })}
      data-retry={root + paths.derivativeRetry}
      data-token={formToken}
      hidden
      {...langWithin(PAGE_LANGUAGE, language)}
    >
      <h2 id="page-derivatives">Derivatives</h2>
      <ul />
      <p class="soft" role="status" />
    </section>
  );
}

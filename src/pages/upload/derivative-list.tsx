import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { pathOf, paths } from '../../paths.ts';
import type { DerivativeFailure } from './find-failures.ts';

/** The derivatives of a node that failed, and the place where `derivatives.js` shows the others as they are made. */
export function DerivativeList({
  root,
  node,
  language,
  formToken,
  failures = [],
}: {
  readonly root: string;
  readonly node: number;
  readonly language: string;
  /** The token for retries. Undefined on a page without one: failed derivatives are then shown alone. */
  readonly formToken?: string;
  readonly failures?: readonly DerivativeFailure[];
}) {
  return (
    <section
      class="panel derivative-list"
      aria-labelledby="page-derivatives"
      data-events={root + pathOf('nodeDerivativeEvents', { node })}
      data-retry={root + paths.derivativeRetry}
      data-token={formToken}
      hidden={failures.length === 0}
      {...langWithin(PAGE_LANGUAGE, language)}
    >
      <h2 id="page-derivatives">Derivatives</h2>
      <ul>
        {failures.map(({ label, message }) => (
          <li key={label} class="failed">
            <bdi>{label}</bdi>: failed{message === null ? '' : `. ${message}`}
          </li>
        ))}
      </ul>
      <p class="soft" role="status" />
    </section>
  );
}

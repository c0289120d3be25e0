import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';

/** The caller as whom an editor views a page. */
export interface ViewedAs {
  /** Undefined for a stranger outside all networks. */
  readonly network: string | undefined;
  /** The path of the editor's own view. */
  readonly back: string;
}

interface Props extends ViewedAs {
  readonly root: string;
  readonly language: string;
}

/** Says as whom an editor views a page, and leads back. */
export function ViewAsBar({ network, back, root, language }: Props) {
  return (
    <section class="preview-bar" aria-label="View as a stranger" {...langWithin(PAGE_LANGUAGE, language)}>
      <div class="wrap">
        <p>
          <strong>This is the page as {strangerInWords(network)} sees it.</strong> Its links lead to your own view.
        </p>
        <p>
          <a class="button quiet" href={root + back}>
            Back to your view
          </a>
        </p>
      </div>
    </section>
  );
}

/** Returns the words for a stranger in a network. */
export function strangerInWords(network: string | undefined): string {
  return network === undefined ? 'a stranger' : `a stranger on the network ${network}`;
}

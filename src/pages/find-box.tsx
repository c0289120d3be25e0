import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import { paths } from '../paths.ts';
import { MAX_QUERY_CHARACTERS } from '../representation/search/search-state.ts';

interface Props {
  /** The path prefix of the site. */
  readonly root: string;
  /** The language of the page. */
  readonly language?: string;
  /** The name of the box, unique on its page. */
  readonly label?: string;
  /** True to show the name above the box, on a page with several. */
  readonly isNamed?: boolean;
  readonly text?: string;
  /** Further parameters of the search. */
  readonly kept?: readonly (readonly [name: string, value: string])[];
}

/** A box for a search, which works without a script. `find.js` adds suggestions to it. */
export function FindBox({
  root,
  language = PAGE_LANGUAGE,
  label = 'Search this site',
  isNamed,
  text,
  kept = [],
}: Props) {
  return (
    <search class="find" aria-label={label} {...langWithin(PAGE_LANGUAGE, language)}>
      {isNamed && (
        <span class="find-name" aria-hidden="true">
          {label}
        </span>
      )}
      <form action={root + paths.search}>
        <HiddenParameters parameters={kept} />
        <span class="find-field">
          <input
            type="search"
            name="q"
            dir="auto"
            aria-label={label}
            value={text}
            maxlength={MAX_QUERY_CHARACTERS}
            autocomplete="off"
            data-suggest={root + paths.searchSuggest}
          />
        </span>
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

/** The parameters of a search that a form keeps. */
export function HiddenParameters({ parameters }: { parameters: NonNullable<Props['kept']> }) {
  return parameters.map(([name, value]) => <input key={`${name} ${value}`} type="hidden" name={name} value={value} />);
}

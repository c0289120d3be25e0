import type { ComponentChildren } from 'preact';
import { dateInWords } from '../../field-types/display/date-in-words.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { AccessRights } from '../../model/access-rules.ts';

interface Props {
  readonly closed: AccessRights;
  /** The language of the page. */
  readonly language: string;
  /** What the caller may do about it. */
  readonly children?: ComponentChildren;
}

/** Says to a caller that an item has files which are closed, why, until when and whom to ask. */
export function AccessNotice({ closed: { until, reason, contact }, language, children }: Props) {
  return (
    <section class="access-notice" aria-labelledby="access-title" {...langWithin(PAGE_LANGUAGE, language)}>
      <h2 id="access-title">Restricted files</h2>
      <p>
        This item has files that are closed
        {until === undefined ? '.' : `. They open on ${dateInWords(until)}.`}
      </p>
      {reason && <p dir="auto">{reason}</p>}
      {contact && (
        <p>
          Contact:{' '}
          {contact.includes('@') ? <a href={`mailto:${encodeURI(contact)}`}>{contact}</a> : <bdi>{contact}</bdi>}
        </p>
      )}
      {children}
    </section>
  );
}

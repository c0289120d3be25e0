/** @jsxImportSource preact */
import { linkableAddress, wholeWebAddress } from '../addresses.ts';
import { textOf } from '../view.ts';
import type { ShowItem } from './show-item.ts';

/** Text of one line; an address of the web becomes a link, as identifiers often are one. */
export const showText: ShowItem = ({ value }) => {
  const text = textOf(value);
  const address = text && wholeWebAddress(text);
  return address ? <a href={address}>{text}</a> : text;
};

/** Text of several lines. */
export const showLines: ShowItem = ({ value }) => {
  const text = textOf(value);
  return text && <p class="lines">{text}</p>;
};

/** Formatted text as it was filtered when it was saved: the one place where stored markup reaches a page as markup. */
export const showFormatted: ShowItem = (item, definition, view) => {
  const html = textOf(item.processed);
  // The text format has left nothing in it that runs.
  if (html !== undefined) return <div class="text" dangerouslySetInnerHTML={{ __html: html }} />;
  const plain = item.processed === undefined ? item.value : item.summary;
  return showLines({ value: plain ?? null }, definition, view);
};

/** The label of a listed value. */
export const showChoice: ShowItem = ({ value }, { allowedValues = {} }) => {
  const text = textOf(value);
  return text !== undefined && Object.hasOwn(allowedValues, text) ? allowedValues[text] : text;
};

/** A mail address. */
export const showEmail: ShowItem = ({ value }) => {
  const text = textOf(value);
  const address = text && linkableAddress(`mailto:${text}`);
  return address && <a href={address}>{text}</a>;
};

/** Text with its attributes behind it. */
export const showAttributed: ShowItem = ({ value, attr0, attr1 }) => {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const attributes = [attr0, attr1].flatMap((attribute) => textOf(attribute) ?? []);
  return (
    <p class="lines">
      {text}
      {attributes.length > 0 && <span class="aside"> ({attributes.join(', ')})</span>}
    </p>
  );
};

/** What consists of several texts, in their order. */
export const showParts: ShowItem = (item) => {
  const parts = Object.values(item).flatMap((part) => textOf(part) ?? []);
  return parts.length > 0 ? parts.join(', ') : undefined;
};

/** The alias of a page. */
export const showAlias: ShowItem = ({ alias }) => textOf(alias);

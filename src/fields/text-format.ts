import sanitize from 'sanitize-html';
import type { TextFormat } from '../model/content-model.ts';
import { linkAddresses } from './link-addresses.ts';
import { paragraphs } from './paragraphs.ts';
import { mayStyle, RUNNABLE_ELEMENTS, SAFE_ATTRIBUTES, SAFE_ELEMENTS } from './safe-html.ts';

/** Elements nested deeper than any text needs are dropped. */
const MAX_NESTED_ELEMENTS = 64;
const SAFE_SCHEMES = ['http', 'https', 'mailto', 'tel', 'ftp'];
const ADDRESS_ATTRIBUTES = ['href', 'src', 'cite', 'poster', 'longdesc', 'background', 'action', 'formaction', 'data'];

/** Turns a text into the HTML that it shows as in the format of that name. */
export type TextProcessor = (text: string, format: string | null) => string;

/**
 * Makes the processor of these formats; `fallback` names the one of a text whose format is missing or unknown, and
 * where there is no such format markup is shown as text. Whatever a format allows, nothing that runs is left:
 * no script, no event handler, no address that is one.
 */
export function createTextProcessor(formats: ReadonlyMap<string, TextFormat>, fallback: string): TextProcessor {
  const steps = new Map([...formats].map(([name, format]) => [name, stepsOf(format)]));
  const fallbackSteps = steps.get(fallback) ?? escapeHtml;
  return (text, format) => {
    if (text === '') return '';
    const process = (format === null ? undefined : steps.get(format)) ?? fallbackSteps;
    return process(text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'));
  };
}

function stepsOf(format: TextFormat): (text: string) => string {
  const options = format.escapesHtml ? undefined : sanitizeOptions(format.allowedHtml);
  return (text) => {
    // Links and paragraphs are made after the filter, which leaves well-formed markup and nothing that runs.
    const safe = options === undefined ? escapeHtml(text) : sanitize(text, options);
    const linked = format.convertsUrls ? linkAddresses(safe) : safe;
    return format.convertsLineBreaks ? paragraphs(linked) : linked;
  };
}

function sanitizeOptions(allowed: TextFormat['allowedHtml']): sanitize.IOptions {
  const elements = allowed === undefined ? SAFE_ELEMENTS : Object.keys(allowed).map((name) => name.toLowerCase());
  return {
    allowedTags: elements.filter((name) => !RUNNABLE_ELEMENTS.has(name)),
    allowedAttributes: allowed === undefined ? { '*': [...SAFE_ATTRIBUTES] } : safeAttributes(allowed),
    allowedSchemes: SAFE_SCHEMES,
    allowedSchemesAppliedToAttributes: ADDRESS_ATTRIBUTES,
    allowProtocolRelative: true,
    parseStyleAttributes: false,
    nestingLimit: MAX_NESTED_ELEMENTS,
    transformTags: { '*': withoutBadStyle },
  };
}

function safeAttributes(allowed: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(allowed).map(([element, attributes]) => [
      element.toLowerCase(),
      attributes.map((name) => name.toLowerCase()).filter(isSafeAttribute),
    ]),
  );
}

function isSafeAttribute(name: string): boolean {
  return SAFE_ATTRIBUTES.has(name) || /^(?:data|aria)-[\w-]+$/.test(name);
}

function withoutBadStyle(tagName: string, attribs: sanitize.Attributes): sanitize.Tag {
  if (attribs.style === undefined || mayStyle(attribs.style)) return { tagName, attribs };
  const { style: _style, ...others } = attribs;
  return { tagName, attribs: others };
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#039;');
}

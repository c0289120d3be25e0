import type { ComponentChildren, JSX as Preact } from 'preact';
import { htmlOf, Markup, type Markups, startTag } from './markup.ts';

type Props = Readonly<Record<string, unknown>> & { readonly children?: Markups };
type Component = (props: never) => Markups;

/** Elements without content and without an end tag (HTML standard, 13.1.2). */
const VOID: ReadonlySet<string> = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'],
]);

/** Renders an element or a component at once: the children of an expression are rendered before it. */
export function jsx(type: string | Component, props: Props): Markup {
  if (typeof type !== 'string') {
    const content = type(props as never);
    return content instanceof Markup ? content : new Markup(htmlOf(content));
  }
  const { children, dangerouslySetInnerHTML: raw } = props;
  const start = startTag(type, props);
  if (VOID.has(type)) return new Markup(`${start}/>`);
  const inner = raw === undefined ? htmlOf(children) : (raw as { readonly __html: string }).__html;
  return new Markup(`${start}>${inner}</${type}>`);
}

export { jsx as jsxDEV, jsx as jsxs };

/** Renders an element outside of JSX. */
export function h(type: string, properties: Props | null, ...children: readonly ComponentChildren[]): Markup {
  return jsx(type, children.length === 0 ? (properties ?? {}) : { ...properties, children: children as Markups });
}

/** A list of markup without an element around it. */
export function Fragment({ children }: Props): Markups {
  return children;
}

/** The elements and attributes of HTML with their types. */
export namespace JSX {
  export type Element = Markup;
  export type ElementType = keyof IntrinsicElements | ((props: never) => ComponentChildren);
  export interface ElementChildrenAttribute {
    children: unknown;
  }
  export interface IntrinsicAttributes {
    key?: string | number | undefined;
  }
  export interface IntrinsicElements extends Preact.IntrinsicElements {}
}

import type { ComponentChildren } from 'preact';

/** The name of a frame for screen readers, or the id of the heading that names it. */
type Name = { readonly label: string } | { readonly labelledBy: string };

type Props = Name & { readonly class?: string; readonly children: ComponentChildren };

/** A frame in which wide or long content scrolls, such as a table in a narrow window. */
export function ScrollFrame({ class: more, children, ...name }: Props) {
  const named = 'label' in name ? { 'aria-label': name.label } : { 'aria-labelledby': name.labelledBy };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls only a box with the focus (WCAG 2.1.1).
    <section class={more === undefined ? 'scroll-frame' : `scroll-frame ${more}`} tabIndex={0} {...named}>
      {children}
    </section>
  );
}

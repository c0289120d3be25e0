/** The breadcrumbs of a form: the content that it belongs to. */
export function ItemCrumbs({ address, title }: { readonly address: string; readonly title: string }) {
  return (
    <nav aria-label="Breadcrumb">
      <a href={address}>
        <bdi>{title}</bdi>
      </a>
    </nav>
  );
}

/** The fields of another page's form, which a form sends on unseen. */
export function CarriedFields({ fields }: { readonly fields: readonly (readonly [name: string, value: string])[] }) {
  return fields.map(([name, value]) => <input key={`${name} ${value}`} type="hidden" name={name} value={value} />);
}

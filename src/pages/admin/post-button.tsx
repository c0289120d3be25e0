import { FormToken } from '../forms/form-page.tsx';

interface Props {
  readonly action: string;
  readonly formToken: string;
  readonly label: string;
  /** The object of the button, for those who hear the label alone. */
  readonly about?: string;
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly isSecondary?: boolean;
}

/** A button that posts a form without visible fields. */
export function PostButton({ action, formToken, label, about, fields = {}, isSecondary = false }: Props) {
  return (
    <form method="post" action={action} class="post-button">
      <FormToken token={formToken} />
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={isSecondary ? 'button quiet' : 'button'}>
        {label}
        {about && <span class="unseen"> {about}</span>}
      </button>
    </form>
  );
}

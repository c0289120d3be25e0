/** A problem of a form: of one field, or of the form as a whole. */
export interface FormProblem {
  /** The id of the control. Undefined for the form as a whole. */
  readonly field?: string | undefined;
  readonly message: string;
}

/** The errors of a form, with links to their fields. `form.js` moves the focus to it. */
export function ErrorSummary({ errors }: { readonly errors: readonly FormProblem[] }) {
  if (errors.length === 0) return null;
  return (
    <section class="error-summary" aria-labelledby="error-summary-title" tabIndex={-1} data-focus>
      <h2 id="error-summary-title">There is a problem</h2>
      <ul>
        {errors.map(({ field, message }) => (
          <li key={`${field} ${message}`}>{field === undefined ? message : <a href={`#${field}`}>{message}</a>}</li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the message about a field. */
export function errorOf(errors: readonly FormProblem[], field: string): string | undefined {
  return errors.find((each) => each.field === field)?.message;
}

/** The tools that `order.js` enables. They are outside the form, which sends positions only. */
export function OrderTools({ count }: { readonly count: number }) {
  const number = (id: string, label: string) => (
    <>
      <label for={id}>{label}</label>
      <input id={id} class="short" inputMode="numeric" autoComplete="off" maxLength={String(count).length} />
    </>
  );
  return (
    <section class="order-tools" aria-label="Tools">
      <div>
        <Tool name="sort">Sort by title</Tool>
        <Tool name="reverse">Reverse</Tool>
        <Tool name="undo">Undo</Tool>
      </div>
      <fieldset data-range>
        <legend class="unseen">Select a range</legend>
        {number('range-from', 'Positions')}
        {number('range-to', 'to')}
        <Tool name="select">Select</Tool>
      </fieldset>
      <fieldset data-selection>
        <legend class="unseen">Move the selected members</legend>
        <span data-count>None selected</span>
        {number('range-target', 'Move to position')}
        <Tool name="move">Move</Tool>
        <Tool name="up">Up</Tool>
        <Tool name="down">Down</Tool>
        <Tool name="clear">Clear</Tool>
      </fieldset>
      <p class="error" data-problem role="alert" />
    </section>
  );
}

function Tool({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <button class="button quiet small" type="button" data-tool={name}>
      {children}
    </button>
  );
}

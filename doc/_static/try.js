/* Python in the browser: Pyodide, the packages that skpostbac needs, and its source. */
"use strict";

(() => {
  const form = document.getElementById("python-form");
  const button = form.querySelector("button");
  const output = form.querySelector("output pre");
  let python = null;

  const print = (line) => { output.textContent += `${line}\n`; };

  async function load() {
    const { loadPyodide } = await import(`${form.dataset.pyodide}pyodide.mjs`);
    const loaded = await loadPyodide();
    loaded.setStdout({ batched: print });
    loaded.setStderr({ batched: print });
    await loaded.loadPackage(form.dataset.packages.split(" "), { messageCallback: () => {} });

    const archive = await fetch(form.dataset.archive);
    if (!archive.ok) throw new Error(`${archive.url}: ${archive.statusText}`);
    loaded.unpackArchive(await archive.arrayBuffer(), "zip");
    return loaded;
  }

  async function run() {
    button.disabled = true;
    try {
      output.textContent = "Loading Python and its packages ...";
      python ??= await load();
      output.textContent = "";
      const code = form.elements.code.value;
      await python.loadPackagesFromImports(code, { messageCallback: () => {} });
      const value = await python.runPythonAsync(code);
      if (value !== undefined) print(value);
    } catch (error) {
      if (!python) output.textContent = "Python could not be loaded.\n";
      print(error.message);
    } finally {
      button.disabled = false;
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
})();

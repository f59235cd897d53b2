// Before the first paint, so that a chosen theme does not flash.
(() => {
  const chosen = new URLSearchParams(location.search).get("theme") || localStorage.getItem("sluice-theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
})();

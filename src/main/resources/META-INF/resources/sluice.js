// Ages and local times, the theme, and what to do while the live connection is away. Everything else is the server's HTML.
(() => {
  const root = document.documentElement;
  let ahead = 0; // this machine's clock minus the server's, in ms

  const age = (ms) => {
    const s = Math.max(0, Math.round(ms / 1000));
    if (s < 60) return s + " s";
    if (s < 3600) return Math.floor(s / 60) + " min";
    if (s < 86400) return Math.floor(s / 3600) + " h " + String(Math.floor((s % 3600) / 60)).padStart(2, "0");
    return Math.floor(s / 86400) + " d " + Math.floor((s % 86400) / 3600) + " h";
  };
  const times = () => {
    for (const e of document.querySelectorAll("time[data-age]")) {
      const text = age(Date.now() - ahead - Date.parse(e.dateTime));
      if (e.textContent !== text) e.textContent = text;
      e.title = new Date(e.dateTime).toLocaleString();
    }
    for (const e of document.querySelectorAll("time[data-clock]:not([data-done])")) {
      e.textContent = new Date(e.dateTime).toLocaleTimeString([], { hour12: false });
      e.title = new Date(e.dateTime).toLocaleString();
      e.dataset.done = "";
    }
  };

  const connection = (state, text) => {
    if (document.body.dataset.connection === state) return;
    document.body.dataset.connection = state;
    document.getElementById("connection-text").textContent = text;
  };
  const poll = () => {
    if (document.body.dataset.connection === "live") return;
    fetch("/live/fragments").then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status))).then((html) => {
      const fresh = new DOMParser().parseFromString(html, "text/html");
      for (const part of fresh.querySelectorAll("template[id^=new-]")) {
        const place = document.getElementById(part.id.slice(4));
        if (place && place.innerHTML !== part.innerHTML) place.innerHTML = part.innerHTML;
      }
      times();
      if (document.body.dataset.connection !== "live") connection("polling", "every 5 s");
    }).catch(() => connection("away", "no connection"));
  };

  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const button = document.getElementById("theme");
  const label = () => button.setAttribute("aria-label", "Change to the " + (dark() ? "light" : "dark") + " theme");
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    localStorage.setItem("sluice-theme", root.dataset.theme);
    label();
  });

  document.body.addEventListener("htmx:sseOpen", () => connection("live", "live"));
  document.body.addEventListener("htmx:sseError", () => connection("away", "reconnecting"));
  document.body.addEventListener("htmx:sseMessage", (event) => {
    const server = event.target.id === "asof" && event.target.querySelector("time[data-server]");
    if (server && !document.querySelector("#problem .banner")) ahead = Date.now() - Date.parse(server.dateTime);
    times();
  });
  label();
  times();
  setInterval(times, 1000);
  setInterval(poll, 5000);
})();

//! A browser with the page open.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use lictor_page::Input;
use serde_json::{Value, json};

/// How long something may take to appear.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with the page open. It ends with this value.
pub(crate) struct Browser {
    client: Client,
    driver: Child,
    file: PathBuf,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _gone = self.driver.kill();
        let _reaped = self.driver.wait();
        let _removed = fs::remove_file(&self.file);
    }
}

/// How large the window is.
#[derive(Clone, Copy)]
pub(crate) struct Size(pub(crate) u32, pub(crate) u32);

/// A window on a desk.
pub(crate) const DESK: Size = Size(1500, 950);

/// A window on a phone.
pub(crate) const PHONE: Size = Size(400, 850);

impl Browser {
    /// Opens the page from a file, with this input inside; none where there is no browser.
    pub(crate) async fn open(test: &str, input: Option<Input<'_>>, size: Size) -> Option<Browser> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("chromedriver");
        command.arg(format!("--port={port}")).stdout(Stdio::null()).stderr(Stdio::null());
        let driver = match command.spawn() {
            Ok(driver) => driver,
            Err(error) => {
                let required = env::var_os("LICTOR_REQUIRE_BROWSER").is_some_and(|required| required == "1");
                assert!(!required, "chromedriver cannot be started: {error}");
                eprintln!("{test} was not run: there is no chromedriver (apt-get install chromium chromium-driver)");
                return None;
            }
        };
        let file = env::temp_dir().join(format!("lictor-page-{test}-{port}.html"));
        fs::write(&file, lictor_page::page(input).unwrap()).unwrap();
        let client = connect(port, size).await;
        client.goto(&format!("file://{}", file.display())).await.unwrap();
        let browser = Browser { client, driver, file };
        browser.gone("#starting").await;
        Some(browser)
    }

    /// The element that appears here.
    pub(crate) async fn find(&self, css: &str) -> Element {
        let found = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(css)).await;
        match found {
            Ok(element) => element,
            Err(error) => panic!("{css} does not appear: {error}; the page says:\n{}", self.text("body").await),
        }
    }

    /// The button with this text.
    pub(crate) async fn button(&self, text: &str) -> Element {
        let path = format!("//button[contains(., \"{text}\")]");
        self.client.wait().at_most(PATIENCE).for_element(Locator::XPath(&path)).await.unwrap()
    }

    /// Clicks on the element that appears here.
    pub(crate) async fn click(&self, css: &str) {
        self.find(css).await.click().await.unwrap();
    }

    /// Clicks on the button with this text.
    pub(crate) async fn press(&self, text: &str) {
        self.button(text).await.click().await.unwrap();
    }

    /// What is to be read here.
    pub(crate) async fn text(&self, css: &str) -> String {
        let element = self.client.find(Locator::Css(css)).await.unwrap();
        element.text().await.unwrap()
    }

    /// Waits until this is to be read here.
    pub(crate) async fn reads(&self, css: &str, text: &str) -> String {
        let end = std::time::Instant::now() + PATIENCE;
        let mut last = String::new();
        while std::time::Instant::now() < end {
            if let Ok(element) = self.client.find(Locator::Css(css)).await {
                last = element.text().await.unwrap_or_default();
            }
            if last.contains(text) {
                return last;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{css} does not read {text:?}, but:\n{last}")
    }

    /// Waits until this is gone.
    pub(crate) async fn gone(&self, css: &str) {
        let end = std::time::Instant::now() + PATIENCE;
        while self.client.find(Locator::Css(css)).await.is_ok() {
            assert!(std::time::Instant::now() < end, "{css} stays: {}", self.text(css).await);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Chooses an entry of a list.
    pub(crate) async fn choose(&self, css: &str, value: &str) {
        self.find(css).await.select_by_value(value).await.unwrap();
    }

    /// Writes into a field.
    pub(crate) async fn write(&self, css: &str, text: &str) {
        self.find(css).await.send_keys(text).await.unwrap();
    }

    /// What a script says.
    pub(crate) async fn script(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.unwrap()
    }

    /// What the browser shows, as a picture.
    pub(crate) async fn picture(&self) -> Vec<u8> {
        self.client.screenshot().await.unwrap()
    }
}

/// Connects to the driver, once it answers.
async fn connect(port: u16, Size(width, height): Size) -> Client {
    let arguments = [
        "--headless=new".to_owned(),
        "--no-sandbox".to_owned(),
        "--disable-gpu".to_owned(),
        "--disable-dev-shm-usage".to_owned(),
        "--hide-scrollbars".to_owned(),
        format!("--window-size={width},{height}"),
    ];
    let wanted = json!({ "goog:chromeOptions": { "args": arguments } });
    let wanted = wanted.as_object().cloned().unwrap();
    let end = std::time::Instant::now() + PATIENCE;
    loop {
        let connected = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new())
            .capabilities(wanted.clone())
            .connect(&format!("http://127.0.0.1:{port}"))
            .await;
        match connected {
            Ok(client) => return client,
            Err(error) => assert!(std::time::Instant::now() < end, "the driver does not answer: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A file that the page is opened with.
pub(crate) fn input<'a>(name: &'a str, text: &'a str, system: &'a str) -> Input<'a> {
    Input { name, text, system, arguments: "", schedulers: &[] }
}

# The service on a JVM. The build runs in the image, so that nothing but Docker is needed.
FROM eclipse-temurin:25-jdk AS build
WORKDIR /build
COPY mvnw pom.xml sluice ./
COPY .mvn .mvn
COPY db db
COPY src/main src/main
RUN ./sluice build

FROM eclipse-temurin:25-jre
RUN useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin sluice
WORKDIR /opt/sluice
COPY --from=build /build/target/quarkus-app ./
USER 10001
# Off loopback the service demands a token: give SLUICE_TOKEN, and SLUICE_JDBC_URL, _USER and _PASSWORD.
ENV SLUICE_HOST=0.0.0.0 SLUICE_PORT=8080
EXPOSE 8080
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=70", "-XX:+ExitOnOutOfMemoryError", "-jar", "quarkus-run.jar"]
CMD ["serve"]
